import type { Declarations } from './checker.js';
import { mergeFunctions } from './declarations.js';
import { AUTHORIZER_FUNCTIONS } from './libraries/authorizer.js';
import { FORMAT_FUNCTIONS } from './libraries/formats.js';
import { JSON_PATCHES } from './libraries/json-patch.js';
import { KUBERNETES_LISTS, LISTS, SETS } from './libraries/lists.js';
import { MAPS } from './libraries/maps.js';
import { CIDR, CIDRS, IP, IPS } from './libraries/network.js';
import { OPTIONALS } from './libraries/optional.js';
import { QUANTITIES } from './libraries/quantities.js';
import { REGEX } from './libraries/regex.js';
import { SEMVERS } from './libraries/semver.js';
import { STANDARD, STANDARD_TYPES } from './libraries/standard.js';
import { STRINGS } from './libraries/strings.js';
import { URLS } from './libraries/urls.js';
import { optionalOf, parameter, type CelType } from './types.js';

const FUNCTIONS = mergeFunctions([
  STANDARD,
  URLS,
  REGEX,
  KUBERNETES_LISTS,
  AUTHORIZER_FUNCTIONS,
  OPTIONALS,
  QUANTITIES,
  STRINGS,
  SETS,
  IPS,
  CIDRS,
  FORMAT_FUNCTIONS,
  MAPS,
  SEMVERS,
  LISTS,
]);

const WITH_JSON_PATCHES = new Map([...FUNCTIONS, ...mergeFunctions([JSON_PATCHES])]);

const TYPES: ReadonlyMap<string, CelType> = new Map([
  ...STANDARD_TYPES,
  ['optional_type', optionalOf(parameter('V'))],
  ['net.IP', IP],
  ['net.CIDR', CIDR],
]);

/**
 * The functions and types that expressions in Kubernetes have, with variables and the types that these have fields of.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/cel/environment/base.go.
 */
export const environment = (
  variables: ReadonlyMap<string, CelType>,
  objects: Declarations['objects'] = new Map(),
): Declarations => ({ functions: FUNCTIONS, types: TYPES, variables, objects });

/** With the types of which an expression makes values, and the functions for JSON Patches. */
export const withStructs = (
  { functions, ...declared }: Declarations,
  structs: NonNullable<Declarations['structs']>,
): Declarations => ({
  ...declared,
  functions: functions === FUNCTIONS ? WITH_JSON_PATCHES : functions,
  structs,
});
