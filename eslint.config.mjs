// How the page's script is linted; the TypeScript compiler checks the rest.
export default [{
  files: ["src/baserate/page/script/*.js"],
  linterOptions: { reportUnusedDisableDirectives: "error" },
  rules: {
    "no-var": "error", "prefer-const": "error", eqeqeq: "error", "no-shadow": "error", "no-unused-vars": "error", "no-empty": ["error", { allowEmptyCatch: true }],
    "no-fallthrough": "error", "no-implicit-globals": "error", "no-param-reassign": "error", "no-self-compare": "error", "no-eval": "error",
    "no-implied-eval": "error", "no-new-func": "error", "no-loss-of-precision": "error", "no-unreachable": "error", "no-use-before-define": ["error", { functions: false, variables: false }],
    "no-constant-condition": "error", "no-dupe-keys": "error", "no-duplicate-imports": "error", "no-cond-assign": "error", "array-callback-return": "error",
    "object-shorthand": "error", "prefer-template": "error", "max-lines": ["error", 450], "max-lines-per-function": ["error", 75], "max-len": ["error", { code: 200 }], semi: "off",
    "no-restricted-properties": ["error", { property: "innerHTML", message: "names are text" }, { property: "outerHTML", message: "names are text" }],
  },
}];
