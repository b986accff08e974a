import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/** V8 makes a hidden class for each object of such a literal, which keeps what the getter uses in memory until the next collection of the whole heap. */
const GETTER_IN_LITERAL = {
  selector: "ObjectExpression > Property[kind='get']",
  message: 'Make it a getter of a class.',
};

/** V8 makes a hidden class for each closure of a generator function, too, which keeps what the closure uses in memory until then. */
const GENERATOR_CLOSURE = {
  selector: ':function :matches(FunctionExpression, FunctionDeclaration)[generator=true]',
  message: 'Make it a function of the module, or a method of a class, and pass what it uses.',
};

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'data/',
      'node_modules/',
      'demo/clusters/',
      '*.config.js',
      '.dependency-cruiser.cjs',
      'scripts/',
      'test/**/*.mjs',
      'clients/typescript/dist/',
      'clients/typescript/src/generated/',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  {
    // A command makes such closures once.
    files: ['src/**/*.ts'],
    ignores: ['**/*.test.ts', 'src/cli/**'],
    rules: { 'no-restricted-syntax': ['error', GETTER_IN_LITERAL, GENERATOR_CLOSURE] },
  },
  {
    files: ['dashboard/src/**/*.{ts,tsx}'],
    ...reactHooks.configs.flat['recommended'],
  },
  {
    // The core is values in, values out: no clock and no randomness (no I/O compiles there: see src/core/tsconfig.json).
    files: ['src/core/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Time enters the core as an argument.' },
        { object: 'Math', property: 'random', message: 'Randomness enters the core as an argument.' },
      ],
      'no-restricted-syntax': [
        'error',
        GETTER_IN_LITERAL,
        GENERATOR_CLOSURE,
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Time enters as an argument.' },
      ],
    },
  },
);
