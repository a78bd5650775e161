"""A model of scikit-learn, and data that are not too easy for it."""

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

FOLDS = StratifiedKFold(3)
MODEL = make_pipeline(StandardScaler(), LogisticRegression())


def breast_cancer():
    """Four features, and whether it is malignant."""
    X, y = load_breast_cancer(return_X_y=True)
    return X[:, :4], 1 - y
