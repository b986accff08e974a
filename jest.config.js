import { SWC_OPTIONS } from './scripts/swc-options.mjs';

/** Tests are ES modules compiled by swc; run through `npm test`, which passes --experimental-vm-modules. */
export default {
  testEnvironment: '<rootDir>/test/support/jest/environment.mjs',
  globalSetup: '<rootDir>/test/support/jest/build.mjs',
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/bench'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        ...SWC_OPTIONS,
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  testTimeout: 120_000,
  maxWorkers: 2,
  // Modules of a test file stay in the memory of the process that ran it: one that has grown is replaced after its file.
  workerIdleMemoryLimit: '1GB',
};
