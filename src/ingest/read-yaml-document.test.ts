import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { buildSources } from '../../test/support/build-sources.js';

const run = promisify(execFile);

/** The output of a program that uses the built `readYamlDocument` with its worker. */
async function printed(program: string): Promise<unknown> {
  const folder = await buildSources('yaml-worker-test', ['src/core', 'src/ingest']);
  const moduleUrl = JSON.stringify(`file://${folder}/src/ingest/read-yaml-document.js`);
  const whole = `const { readManifestText, readYamlDocument } = await import(${moduleUrl}); ${program}`;
  try {
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', whole], { timeout: 50_000 });
    return JSON.parse(stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('a YAML document that is read in another thread', () => {
  it('may be manifests, whose notes still belong to their objects', async () => {
    const result = await printed(`
      const filler = '\\n#' + 'x'.repeat(4096) + '\\n';
      const text = 'a: 1\\na: 2\\nitems:\\n- {b: 9223372036854775807}' + filler + '---\\n{"c": 1, "c": 2}\\n---\\n[';
      const { documents: [yaml, json], faults } = await readManifestText(text, 'a');
      console.log(JSON.stringify([
        String(yaml.value.items[0].b), yaml.lines.get(yaml.value.items[0]), yaml.repeatedKeys,
        json.repeated.get(json.value), faults.map(({ code, line }) => [code, line]),
      ]));
    `);
    expect(result).toEqual([
      '9223372036854775807',
      4,
      [{ line: 2, message: 'line 2: key "a" already set in map' }],
      [
        ['c', 1],
        ['c', 2],
      ],
      [['malformed-manifests', 9]],
    ]);
  }, 60_000);

  it('is returned complete, including typed errors, while this thread continues', async () => {
    const result = await printed(`
      const { monitorEventLoopDelay } = await import('node:perf_hooks');
      const filler = '\\n#' + 'x'.repeat(4096);
      const read = async (text) => {
        try {
          const value = await readYamlDocument(text, 'a');
          return { own: Object.hasOwn(value, '__proto__'), seconds: String(value.seconds), pod: value.pod };
        } catch (error) {
          return { code: error.code, line: error.line };
        }
      };
      const whole = await read('__proto__: {a: 1}\\nseconds: 9223372036854775807\\npod: {on: yes}' + filler);
      const broken = await read('a: 1\\nb: [' + filler);
      const delay = monitorEventLoopDelay({ resolution: 5 });
      delay.enable();
      const costly = await read('"\\\\q"\\n'.repeat(10_000));
      delay.disable();
      const after = await read('pod: 1' + filler);
      console.log(JSON.stringify({ whole, broken, costly, after, free: delay.max / 1e6 < 1000 }));
    `);
    expect(result).toEqual({
      whole: { own: true, seconds: '9223372036854775807', pod: { true: true } },
      broken: { code: 'malformed-yaml', line: expect.any(Number) },
      costly: { code: 'malformed-yaml', line: 1 },
      after: { own: false, seconds: 'undefined', pod: 1 },
      free: true,
    });
  });

  it('does not wait for the slow documents of another caller', async () => {
    const result = await printed(`
      const slow = '"\\\\q"\\n'.repeat(60_000);
      const order = [];
      const read = (text, caller, name) => readYamlDocument(text, caller).then(() => order.push(name), ({ code }) => order.push(name + ' ' + code));
      const many = Array.from({ length: 6 }, (_, at) => read(slow, 'a', 'slow ' + at));
      await read('pod: 1\\n#' + 'x'.repeat(4096), 'b', 'quick');
      console.log(JSON.stringify(order));
      process.exit(0);
    `);
    expect(result).toEqual(['slow 4 busy', 'slow 5 busy', 'quick']);
  });
});
