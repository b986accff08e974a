import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';

const MAIN = 'dist/bundle/main.js';

it('starts the service with the same options of Node in the image as by npm start', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: { start: string } };
  const byNpm = scripts.start.split(' ').filter((word) => /^--(max|no)-/.test(word));
  const command = /^CMD (\[.*\])$/m.exec(await readFile('Dockerfile', 'utf8'))?.[1] ?? '[]';
  expect(byNpm).not.toEqual([]);
  expect(JSON.parse(command)).toEqual([...byNpm, MAIN]);
});
