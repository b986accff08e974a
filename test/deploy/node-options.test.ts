import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';

const MAIN = 'dist/bundle/main.js';

it('starts the service with the same options of Node in the image as by npm start', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: { start: string } };
  const [, options = ''] = / node ((?:--\S+ )+)\S+$/.exec(scripts.start) ?? [];
  const byNpm = options.trim().split(' ');
  const command = /^CMD (\[.*\])$/m.exec(await readFile('Dockerfile', 'utf8'))?.[1] ?? '[]';
  expect(byNpm).toEqual(expect.arrayContaining(['--no-parallel-scavenge', '--v8-pool-size=1']));
  expect(JSON.parse(command)).toEqual([...byNpm, MAIN]);
});
