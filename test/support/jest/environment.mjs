import { TestEnvironment } from 'jest-environment-node';

/**
 * Lets a test file load a built module as Node loads it: once for all files that a process of jest runs. Jest itself loads the sources of
 * the service, and the frameworks, anew for each file, which takes longer than most tests.
 */
export default class extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.importByNode = (url) => import(url);
  }
}
