import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { readNpmStart } from '../../bench/service/npm-start.js';

it('starts the service with the same options of Node in the image as by npm start', async () => {
  const { options, program } = await readNpmStart('.');
  const command = /^CMD (\[.*\])$/m.exec(await readFile('Dockerfile', 'utf8'))?.[1] ?? '[]';
  expect(program).toBe('dist/bundle/main.js');
  expect(options).toEqual(expect.arrayContaining(['--no-parallel-scavenge', '--v8-pool-size=1']));
  expect(JSON.parse(command)).toEqual([...options, program]);
});
