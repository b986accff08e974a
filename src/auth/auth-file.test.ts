import { describe, expect, it } from '@jest/globals';
import { AuthFileError, parseAuthFile } from './auth-file.js';
import { tokenHash } from './token-hash.js';

const HASH = tokenHash('a').toString('hex');
const OTHER = tokenHash('b').toString('hex');

function faultsOf(text: string): string[] {
  try {
    parseAuthFile(text);
    return [];
  } catch (error) {
    if (!(error instanceof AuthFileError)) throw error;
    return error.message.split('\n').map((line) => line.trim());
  }
}

describe('an auth file', () => {
  it('may be YAML or JSON, and has defaults for omitted members', () => {
    const yaml = `
tokens:
  - name: ci
    sha256: ${HASH}
bindings:
  - subjects: [token:ci, group:sre, user:alice@example.com]
    clusters: [prod-*]
    roles: [change]
`;
    const expected = {
      tokens: [{ name: 'ci', sha256: HASH, groups: [] }],
      bindings: [
        {
          subjects: ['token:ci', 'group:sre', 'user:alice@example.com'],
          clusters: ['prod-*'],
          roles: ['change'],
          taintValues: true,
          onBehalfOf: false,
        },
      ],
    };
    expect(parseAuthFile(yaml)).toEqual(expected);
    expect(parseAuthFile(JSON.stringify(expected))).toEqual(expected);
    expect(parseAuthFile('')).toEqual({ tokens: [], bindings: [] });
  });

  it('reports all its errors together, each with its place', () => {
    const wrong = {
      tokens: [
        { name: 'a b', sha256: HASH },
        { name: 'ci', sha256: 'ab' },
        { sha256: HASH },
        { name: 'ci', sha256: OTHER },
      ],
      bindings: [
        { subjects: ['carl', 'token:cd'], clusters: ['Prod'], roles: ['boss'], taintValues: 'no' },
        { subjects: [], clusters: [], roles: [], extra: 1 },
      ],
      users: [],
    };
    expect(faultsOf(JSON.stringify(wrong))).toEqual([
      expect.stringMatching(/^tokens\[0\]\.name: must be/),
      expect.stringMatching(/^tokens\[1\]\.sha256: must be/),
      expect.stringMatching(/^tokens\[2\]\.name: /),
      expect.stringMatching(/^bindings\[0\]\.subjects\[0\]: must be/),
      expect.stringMatching(/^bindings\[0\]\.clusters\[0\]: must be/),
      expect.stringMatching(
        /^bindings\[0\]\.roles\[0\]: must be one of read, evaluate, change, apply, approve, admit, audit, admin/,
      ),
      expect.stringMatching(/^bindings\[0\]\.taintValues: /),
      'bindings[1].subjects: must have at least one subject',
      'bindings[1].clusters: must have at least one cluster name, or *',
      'bindings[1].roles: must have at least one role',
      expect.stringMatching(/^bindings\[1\]: .*extra/),
      expect.stringMatching(/^the file: .*users/),
      'tokens[2].sha256: must be unique, but an earlier token has the same hash',
      'tokens[3].name: must be unique, but an earlier token has the same name',
      'bindings[0].subjects[1]: must be the name of a token in this file',
    ]);
  });

  it.each([
    ['broken YAML', 'tokens: [', /^\S/],
    ['a duplicate key', 'tokens: []\ntokens: []', /unique/],
    ['a list', '[]', /^the file: /],
    ['a word', 'tokens', /^the file: /],
    ['a token that is a word', 'tokens: [x]', /^tokens\[0\]: /],
    ['a token that is null', 'tokens: [null]', /^tokens\[0\]: /],
  ])('%s is rejected', (_, text, says) => {
    expect(faultsOf(text)[0]).toMatch(says);
  });
});
