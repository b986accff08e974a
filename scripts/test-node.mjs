/**
 * Runs tests with other versions of Node, which npm installs for it: npm run test:node -- 22 24, or with paths of tests,
 * npm run test:node -- 22 24 src/core.
 */
import { spawnSync } from 'node:child_process';

const words = process.argv.slice(2);
const isVersion = (word) => /^\d+(\.\d+)*$/.test(word);
const versions = words.filter(isVersion);
if (versions.length === 0) throw new Error('name versions of Node, such as 22 24');
const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'];
for (const version of versions) {
  const command = ['--yes', '--package', `node@${version}`, 'node'];
  const name = spawnSync('npx', [...command, '--version'], { encoding: 'utf8' }).stdout;
  process.stdout.write(`Node ${name}`);
  const { status } = spawnSync('npx', [...command, ...jest, ...words.filter((word) => !isVersion(word))], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
