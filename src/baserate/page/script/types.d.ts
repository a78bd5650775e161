// What Python puts into the page, and what the modules pass to each other. Only the type checker reads this file.

/** A number, or nothing where it is infinite or undefined. */
export type Known = number | null;

export interface Points {
  threshold: (number | string)[];
  tpr: number[]; fpr: number[];
  tpr_low: number[]; tpr_high: number[];
  fpr_low: number[]; fpr_high: number[];
  /** Recall by itself, at the level of all other intervals. */
  recall_low: number[]; recall_high: number[];
  /** TPR/FPR, which gives precision at every prevalence; nothing for infinity. */
  ratio_low: Known[]; ratio_high: Known[];
}

/** Rates at one threshold, with the ends of their intervals. */
export interface Rates {
  tpr: number; fpr: number;
  tpr_low: number; tpr_high: number;
  fpr_low: number; fpr_high: number;
}

export interface Gains { tpr: number[]; fpr: number[]; fpr_before: number[]; area: number[] }

/** Ends of intervals as multiples of the value. */
export interface Band { low: Known[]; high: Known[] }

export interface Bins {
  low: number[]; high: number[];
  pos: number[]; neg: number[];
  score_pos: number[]; score_neg: number[]; rest_pos: number[];
  pos_squares: number[]; neg_squares: number[];
  ratio_low: Known[]; ratio_high: Known[];
  agreeing_odds_low: Known[]; agreeing_odds_high: Known[];
  brier_score: [Known, Known]; log_loss: [Known, Known];
  own: [string, string][];
}

/** One bin, read at a prevalence. */
export interface ReadBin {
  share: number; score: number; rate: number; gap: number;
  low: number; high: number; variance: number;
  off?: "too high" | "too low";
}

export interface Histogram { edges: number[]; pos: number[]; neg: number[] }

export interface Model {
  name: string;
  average_precision: number[];
  auc_pr: number[];
  gains: Gains;
  points: Points;
  bands: Record<string, Band>;
  roc_auc: { value: number; low: Known; high: Known };
  all_thresholds: number;
  right: [Known, Known] | null;
  calibration: Bins | null;
  histogram?: Histogram;
  unlabelled?: number;
  /** Steps along the curve, made when the page opens. */
  path?: [number, number][];
}

/** A slice or period of one model: known at all prevalences, at some, or not at all. */
export interface Cell {
  reason?: string;
  own?: number;
  logs?: number[];
  low?: Known[]; high?: Known[];
  pr_logs?: number[];
  hull?: { tpr: number[]; fpr: number[] };
  roc?: [number, Known, Known];
  rates?: [number, number, number, number, number, number];
  /** Value and interval at each of the prevalences asked for. */
  asked?: [number, Known, Known][];
}

export interface Row { key: string; size: string; models: Cell[]; differs?: number; n?: number; pos?: number }

export interface Group {
  name: string;
  models: string[];
  rows: Row[];
  ordered: boolean;
  /** How many times wider intervals have to be, so that all of them hold together. */
  widening?: number | null;
  checks: string[][];
}

/** Slices over their periods: values by model and period. */
export interface Multiples {
  name: string;
  models: string[];
  periods: string[];
  rows: { key: string; values: Known[][] }[];
}

/** All pairs of models at nodes of the log-odds, in the order of models. */
export interface Pairs {
  nodes: number[];
  /** The probability that the first one is better. */
  better: Known[][];
  /** Half the width of the interval of their difference. */
  apart: Known[][];
  /** The probability that a model is better than all others. */
  best: Known[][];
  /** The models that were compared row by row. */
  compared: number[];
  positives: number;
  sure: number;
  most_times: number;
}

/** Who leads at a prevalence. */
export interface Standing {
  ahead: number[]; behind: number[];
  sure: number;
  more: number | null;
  paired: boolean;
}

export type Ends = [Known, Known, Known];

export interface SeriesPeriod {
  key: string;
  prevalence: Known;
  rows: [Known, Known];
  own: Ends;
  common: Ends | null;
  change: { total: Ends; prior: Ends; model: Ends; threshold: Ends } | null;
  alarm: boolean | null;
  statistic: Known;
  limit: Known;
}

/** A model over its periods. */
export interface Series {
  name: string;
  said: string;
  verdict: "model" | "prevalence" | null;
  first_alarm: string | null;
  common: Known;
  reference: string[];
  periods: SeriesPeriod[];
}

export interface Content {
  pairs: Pairs;
  series: Series[];
  broken: boolean;
  prevalence: number;
  asked: number[];
  own: number[];
  range: [number, number];
  nodes: number[];
  recall: number;
  marks: string;
  grid: number[];
  models: Model[];
  crossings: number[];
  groups: Group[];
  multiples: Multiples[];
  group_grid: number[];
  verdict: string;
  own_rows: string[];
}

/** A value as shown, with small print below. */
export type CellText = string | string[];

export interface Interval { value: number; low: number; high: number }

/** What a metric of the menu is computed from. */
export interface Metric {
  name: string;
  key?: string;
  /** Only shown where rates at a threshold are known. */
  of(model: Model, at: Reading): number;
  fixed?(model: Model): { value: number; low: Known; high: Known };
  decimals?: boolean;
}

/** A prevalence, in all the forms that formulas want. */
export interface Reading {
  logOdds: number;
  prevalence: number;
  /** Odds against a positive. */
  x: number;
  /** Weights by which values at the nodes are combined. */
  weights: number[];
}

export interface Costs { missed: number; falseAlert: number; threshold: number }

/** A function of rates at one threshold. */
export interface PointMetric {
  name: string;
  of(t: number, f: number, x: number, costs: Costs): number;
  /** Whether it depends on the ratio of both rates only. */
  byRatio?: boolean;
  /** Whether it rises with the false positive rate, too. */
  worse?: boolean;
  /** Not a share: shown in significant digits. */
  plain?: boolean;
}

export interface Axis { range: [number, number]; ticks: [number, string][]; read?(place: number): string }

/** What a crosshair says at a place of a chart. */
export interface Spot {
  /** The place across, in units of the axis. */
  at: number;
  title: string;
  rows: { model: number; name: string; text: string; up: number }[];
}
