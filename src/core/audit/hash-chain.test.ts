import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';
import {
  type ChainedRecord,
  type ChainFaultCode,
  ChainVerifier,
  GENESIS_HASH,
  recordHash,
  verifyChain,
} from './hash-chain.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function chain(length: number, start = 1, previousHash = GENESIS_HASH): ChainedRecord[] {
  const records: ChainedRecord[] = [];
  for (let sequence = start; sequence < start + length; sequence += 1) {
    const before = records.at(-1)?.hash ?? previousHash;
    const unhashed = { sequence, previousHash: before, content: { cluster: 'c', node: `n${sequence}` } };
    records.push({ ...unhashed, hash: recordHash(unhashed, sha256) });
  }
  return records;
}

describe('recordHash', () => {
  it('is the SHA-256 of the canonical JSON of content, sequence and previous hash', () => {
    const text = `{"a":1,"b":"x","previousHash":"${GENESIS_HASH}","sequence":1}`;
    const record = { sequence: 1, previousHash: GENESIS_HASH, content: { b: 'x', a: 1 } };
    expect(recordHash(record, sha256)).toBe(sha256(text));
  });

  it.each(['sequence', 'previousHash', 'hash'])('refuses content that has its own member %s', (name) => {
    expect(() => recordHash({ sequence: 1, previousHash: GENESIS_HASH, content: { [name]: 1 } }, sha256)).toThrow(
      TypeError,
    );
  });
});

describe('verifyChain', () => {
  const records = chain(5);
  const at = (sequence: number): ChainedRecord => records[sequence - 1]!;
  const rehashed = (sequence: number): ChainedRecord => {
    const changed = { ...at(sequence), content: { cluster: 'c', node: 'other' } };
    return { ...changed, hash: recordHash(changed, sha256) };
  };

  it('accepts an untouched chain, and an empty one', () => {
    expect(verifyChain(records, sha256)).toEqual({ verified: 5, head: { sequence: 5, hash: at(5).hash } });
    expect(verifyChain([], sha256)).toEqual({ verified: 0, head: { sequence: 0, hash: GENESIS_HASH } });
  });

  it.each<[string, ChainedRecord[], ChainFaultCode, number]>([
    ['a changed content', [at(1), { ...at(2), content: { cluster: 'c', node: 'x' } }, at(3)], 'hash', 2],
    ['a member added to a content', [{ ...at(1), content: { ...at(1).content, more: null } }], 'hash', 1],
    ['a content that is no JSON', [{ ...at(1), content: { n: NaN } }], 'hash', 1],
    ['a changed hash', [at(1), { ...at(2), hash: at(1).hash }], 'hash', 2],
    ['a record rewritten with its own hash', [at(1), rehashed(2), at(3)], 'previousHash', 3],
    ['a record taken out', [at(1), at(3)], 'sequence', 2],
    ['a record taken out and the rest renumbered', [at(1), { ...at(3), sequence: 2 }], 'previousHash', 2],
    ['a record given twice', [at(1), at(1)], 'sequence', 2],
    ['two records in the wrong order', [at(2), at(1)], 'sequence', 1],
    ['a missing beginning', [at(2), at(3)], 'sequence', 1],
    ['a first record with a hash before it', [{ ...at(1), previousHash: at(2).hash }], 'previousHash', 1],
  ])('names the first record that does not hold: %s', (_name, given, code, sequence) => {
    const verdict = verifyChain(given, sha256);
    expect(verdict.fault).toMatchObject({ code, sequence });
    expect(verdict.verified).toBe(sequence - 1);
  });

  it('detects a truncated chain only by a checkpoint stored elsewhere, and names the first missing record', () => {
    const cut = records.slice(0, 3);
    expect(verifyChain(cut, sha256).fault).toBeUndefined();
    expect(verifyChain(cut, sha256, { checkpoint: at(5) }).fault).toEqual({
      code: 'tailCut',
      sequence: 4,
      expected: 5,
    });
    expect(verifyChain(records, sha256, { checkpoint: at(5) }).fault).toBeUndefined();
    expect(verifyChain([], sha256, { checkpoint: at(5) }).fault).toMatchObject({ code: 'tailCut', sequence: 1 });
  });

  it('detects a chain that was rewritten completely by a checkpoint that it does not match', () => {
    const anew = [rehashed(1), ...chain(4, 2, rehashed(1).hash)];
    expect(verifyChain(anew, sha256).fault).toBeUndefined();
    expect(verifyChain(anew, sha256, { checkpoint: at(3) }).fault).toMatchObject({ code: 'checkpoint', sequence: 3 });
  });

  it('continues from a checkpoint without the earlier records', () => {
    expect(verifyChain(records.slice(3), sha256, { from: at(3), checkpoint: at(5) })).toMatchObject({
      verified: 2,
      head: { sequence: 5 },
    });
    expect(verifyChain(records.slice(3), sha256, { from: rehashed(3) }).fault).toMatchObject({
      code: 'previousHash',
      sequence: 4,
    });
    expect(verifyChain([], sha256, { from: at(3), checkpoint: rehashed(3) }).fault).toMatchObject({
      code: 'checkpoint',
    });
  });

  it('reports the first fault even if more records are added', () => {
    const verifier = new ChainVerifier(sha256);
    expect(verifier.add(at(1))).toBe(true);
    expect(verifier.add(at(3))).toBe(false);
    expect(verifier.add(at(2))).toBe(false);
    expect(verifier.finish()).toMatchObject({ verified: 1, head: { sequence: 1 }, fault: { sequence: 2 } });
  });
});

describe('a chain of written records', () => {
  const written = chain(3).map(({ content, sequence, previousHash, hash }) => ({
    text: canonicalJson({ ...content, sequence, previousHash }),
    hash,
  }));
  const verdict = (records: readonly { text: string; hash: string }[]) => {
    const verifier = new ChainVerifier(sha256);
    for (const { text, hash } of records) if (verifier.addWritten(text, hash) === undefined) break;
    return verifier.finish();
  };

  it('is accepted as written, and each record is parsed', () => {
    expect(verdict(written)).toEqual({ verified: 3, head: { sequence: 3, hash: written[2]!.hash } });
    expect(new ChainVerifier(sha256).addWritten(written[0]!.text, written[0]!.hash)).toMatchObject({ node: 'n1' });
  });

  it.each([
    ['a text that means the same and is written otherwise', written[0]!.text.replace(':', ': ')],
    ['a text that is no JSON', '{'],
    ['a text that is no object', '[1]'],
    ['a text without its place', '{"cluster":"c"}'],
  ])('does not take %s', (_, text) => {
    expect(verdict([{ text, hash: written[0]!.hash }])).toMatchObject({
      verified: 0,
      fault: { code: 'hash', sequence: 1, expected: sha256(text), found: written[0]!.hash },
    });
  });
});
