import { quoteGo } from '../../kubernetes/go-text.js';
import { method, overload, type CelFunction, type Overload } from '../declarations.js';
import { LibraryValue } from '../operations.js';
import { BOOL, INT, objectType, STRING, type CelType } from '../types.js';
import { CelError, compareText, isError, noSuchOverload, type Value } from '../values.js';

export const SEMVER = objectType('kubernetes.Semver');

class SemverValue extends LibraryValue {
  readonly typeName = 'kubernetes.Semver';

  constructor(
    readonly major: bigint,
    readonly minor: bigint,
    readonly patch: bigint,
    readonly prerelease: readonly (bigint | string)[],
  ) {
    super();
  }

  equals(other: Value): boolean | CelError {
    if (isError(other)) return other;
    return other instanceof SemverValue ? compareVersions(this, other) === 0 : noSuchOverload();
  }
}

const UINT64_MAX = 2n ** 64n - 1n;

function unsigned(text: string): bigint | CelError {
  const refused = (why: string): CelError => new CelError(`strconv.ParseUint: parsing ${quoteGo(text)}: ${why}`);
  if (text === '') return refused('invalid syntax');
  return BigInt(text) > UINT64_MAX ? refused('value out of range') : BigInt(text);
}

function numberOf(text: string, name: string): bigint | CelError {
  if (/[^0-9]/.test(text)) return new CelError(`Invalid character(s) found in ${name} number ${quoteGo(text)}`);
  if (/^0./.test(text)) {
    const capital = name.charAt(0).toUpperCase() + name.slice(1);
    return new CelError(`${capital} number must not contain leading zeroes ${quoteGo(text)}`);
  }
  return unsigned(text);
}

function prereleaseOf(text: string): bigint | string | CelError {
  if (text === '') return new CelError('Prerelease is empty');
  if (/^[0-9]+$/.test(text)) {
    return /^0./.test(text)
      ? new CelError(`Numeric PreRelease version must not contain leading zeroes ${quoteGo(text)}`)
      : unsigned(text);
  }
  return /^[A-Za-z0-9-]+$/.test(text)
    ? text
    : new CelError(`Invalid character(s) found in prerelease ${quoteGo(text)}`);
}

function buildProblem(text: string): CelError | undefined {
  if (text === '') return new CelError('Build meta data is empty');
  return /^[A-Za-z0-9-]+$/.test(text)
    ? undefined
    : new CelError(`Invalid character(s) found in build meta data ${quoteGo(text)}`);
}

/** `Parse` of github.com/blang/semver/v4. */
export const semverValue = (text: string): Value => parse(text);

function parse(text: string): SemverValue | CelError {
  if (text === '') return new CelError('Version string empty');
  const [majorText, minorText, ...rest] = text.split('.');
  if (rest.length === 0) return new CelError('No Major.Minor.Patch elements found');
  const major = numberOf(majorText!, 'major');
  if (major instanceof CelError) return major;
  const minor = numberOf(minorText!, 'minor');
  if (minor instanceof CelError) return minor;
  const [beforeBuild, build] = cut(rest.join('.'), '+');
  const [patchText, prerelease] = cut(beforeBuild, '-');
  const patch = numberOf(patchText, 'patch');
  if (patch instanceof CelError) return patch;
  const parts: (bigint | string)[] = [];
  for (const written of prerelease?.split('.') ?? []) {
    const part = prereleaseOf(written);
    if (part instanceof CelError) return part;
    parts.push(part);
  }
  const problem = build
    ?.split('.')
    .map(buildProblem)
    .find((one) => one !== undefined);
  return problem ?? new SemverValue(major, minor, patch, parts);
}

function cut(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** `normalizeAndParse`: without `v` and leading zeros, and with what is missing of three numbers. */
function parseNormalized(text: string): SemverValue | CelError {
  const written = text.replace(/^v/, '');
  const [first, second, ...rest] = written.split('.');
  const parts = [first!, ...(second === undefined ? [] : [second]), ...(rest.length === 0 ? [] : [rest.join('.')])].map(
    (part) => {
      if (part.length <= 1) return part;
      const stripped = part.replace(/^0+/, '');
      return /^[0-9]/.test(stripped) ? stripped : `0${stripped}`;
    },
  );
  if (parts.length < 3 && /[+-]/.test(parts.at(-1)!)) {
    return new CelError('short version cannot contain PreRelease/Build meta data');
  }
  while (parts.length < 3) parts.push('0');
  return parse(parts.join('.'));
}

const order = (a: bigint, b: bigint): -1 | 0 | 1 => (a < b ? -1 : a > b ? 1 : 0);

function compareVersions(a: SemverValue, b: SemverValue): -1 | 0 | 1 {
  const numbers = order(a.major, b.major) || order(a.minor, b.minor) || order(a.patch, b.patch);
  if (numbers !== 0) return numbers;
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return order(BigInt(b.prerelease.length === 0 ? 0 : 1), BigInt(a.prerelease.length === 0 ? 0 : 1));
  }
  for (const [index, part] of a.prerelease.entries()) {
    const other = b.prerelease[index];
    if (other === undefined) return 1;
    const compared = comparePrerelease(part, other);
    if (compared !== 0) return compared;
  }
  return a.prerelease.length < b.prerelease.length ? -1 : 0;
}

function comparePrerelease(a: bigint | string, b: bigint | string): -1 | 0 | 1 {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? order(a, b) : -1;
  return typeof b === 'bigint' ? 1 : compareText(a, b);
}

const read = (text: Value, isNormalized: Value = false): SemverValue | CelError =>
  isNormalized === true ? parseNormalized(text as string) : parse(text as string);
const isVersion = (text: Value, isNormalized?: Value): boolean => !(read(text, isNormalized) instanceof CelError);

const compared = (id: string, result: CelType, run: (order: -1 | 0 | 1) => Value): Overload =>
  method(id, [SEMVER, SEMVER], result, (a, b) => run(compareVersions(a as SemverValue, b as SemverValue)));

const number = (name: 'major' | 'minor' | 'patch'): CelFunction => ({
  name,
  overloads: [method(`semver_${name}`, [SEMVER], INT, (value) => BigInt.asIntN(64, (value as SemverValue)[name]))],
});

/** k8s.io/apiserver v0.36.2, pkg/cel/library/semverlib.go, version 1. */
export const SEMVERS: readonly CelFunction[] = [
  {
    name: 'semver',
    overloads: [
      overload('string_to_semver', [STRING], SEMVER, (text) => read(text)),
      overload('string_bool_to_semver', [STRING, BOOL], SEMVER, read),
    ],
  },
  {
    name: 'isSemver',
    overloads: [
      overload('is_semver_string', [STRING], BOOL, (text) => isVersion(text)),
      overload('is_semver_string_bool', [STRING, BOOL], BOOL, isVersion),
    ],
  },
  { name: 'isGreaterThan', overloads: [compared('semver_is_greater_than', BOOL, (one) => one === 1)] },
  { name: 'isLessThan', overloads: [compared('semver_is_less_than', BOOL, (one) => one === -1)] },
  { name: 'compareTo', overloads: [compared('semver_compare_to', INT, BigInt)] },
  number('major'),
  number('minor'),
  number('patch'),
];
