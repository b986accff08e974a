import { defined } from '../collections/defined.js';
import type { Taint } from './objects/taints.js';
import { TAINT_EFFECTS } from './taint.js';
import { isQualifiedName, isValidLabelValue } from './validation/names.js';

/** A taint that `kubectl taint` would refuse, with kubectl's message. */
export class TaintSyntaxError extends Error {
  override readonly name = 'TaintSyntaxError';
}

/** A pattern for taints: an absent part matches anything. */
export interface TaintPattern {
  readonly key: string;
  /** The empty string matches a taint without a value. */
  readonly value?: string;
  readonly effect?: string;
}

/**
 * Parses a taint argument of `kubectl taint` without a trailing `-`: `key=value:Effect`, `key:Effect`, or `key` alone, with an
 * empty effect. Without a colon, the whole text is the key.
 *
 * @throws {TaintSyntaxError}
 *
 * Source: k8s.io/kubectl v0.36.2, pkg/cmd/taint/utils.go, `parseTaint`.
 */
export function parseTaintSpec(text: string): Taint {
  const [pair = '', effect, ...more] = text.split(':');
  if (more.length > 0) throw invalidSpec(text);
  if (effect === undefined) {
    checkKey(text, text);
    return { key: text, effect: '' };
  }
  checkEffect(effect);
  const { key, value } = keyAndValue(pair, text);
  return { key, ...(value === undefined || value === '' ? {} : { value }), effect };
}

/**
 * Parses an argument of `kubectl taint nodes` that adds a taint: `key=value:Effect` or `key:Effect`.
 *
 * @throws {TaintSyntaxError}
 */
export function parseTaint(text: string): Taint {
  const taint = parseTaintSpec(text);
  if (taint.effect === '') throw invalidSpec(text);
  return taint;
}

/**
 * Parses a pattern for taints: `key`, `key=value`, `key:Effect`, `key=value:Effect`. `key=` matches a taint without a value.
 * The errors are those of `parseTaint`.
 *
 * @throws {TaintSyntaxError}
 */
export function parseTaintPattern(text: string): TaintPattern {
  const [pair = '', effect, ...more] = text.split(':');
  if (more.length > 0) throw invalidSpec(text);
  if (effect !== undefined) checkEffect(effect);
  return { ...keyAndValue(pair, text), ...defined({ effect }) };
}

/** Whether a taint matches a pattern. */
export function fitsTaintPattern(taint: Taint, { key, value, effect }: TaintPattern): boolean {
  return (
    taint.key === key &&
    (value === undefined || (taint.value ?? '') === value) &&
    (effect === undefined || taint.effect === effect)
  );
}

function keyAndValue(pair: string, text: string): { key: string; value?: string } {
  const [key = '', value, ...more] = pair.split('=');
  if (more.length > 0) throw invalidSpec(text);
  const complaints = isValidLabelValue(value ?? '');
  if (complaints.length > 0) throw invalidSpec(text, complaints);
  checkKey(key, text);
  return { key, ...defined({ value }) };
}

function checkKey(key: string, text: string): void {
  const complaints = isQualifiedName(key);
  if (complaints.length > 0) throw invalidSpec(text, complaints);
}

function checkEffect(effect: string): void {
  if ((TAINT_EFFECTS as readonly string[]).includes(effect)) return;
  throw new TaintSyntaxError(`invalid taint effect: ${effect}, unsupported taint effect`);
}

function invalidSpec(text: string, complaints: readonly string[] = []): TaintSyntaxError {
  return new TaintSyntaxError(
    ['invalid taint spec: ' + text, ...(complaints.length > 0 ? [complaints.join('; ')] : [])].join(', '),
  );
}
