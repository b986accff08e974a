import { overload, type CelFunction } from '../declarations.js';
import { MAP_INSERT } from '../macros.js';
import { printed } from '../operations.js';
import { mapOf, parameter } from '../types.js';
import { CelError, CelMap, type Value } from '../values.js';

const K = parameter('K');
const V = parameter('V');
const MAP = mapOf(K, V);

function inserted(map: Value, key: Value, value: Value): Value {
  if ((map as CelMap).find(key) !== undefined) return new CelError(`insert failed: key ${printed(key)} already exists`);
  return (map as CelMap).with(key, value);
}

function merged(map: Value, other: Value): Value {
  let all = map;
  for (const [key, value] of (other as CelMap).all()) {
    all = inserted(all, key, value);
    if (all instanceof CelError) return all;
  }
  return all;
}

/** cel-go v0.26.0, ext/comprehensions.go. */
export const MAPS: readonly CelFunction[] = [
  {
    name: MAP_INSERT,
    overloads: [
      overload('@mapInsert_map_key_value', [MAP, K, V], MAP, inserted),
      overload('@mapInsert_map_map', [MAP, MAP], MAP, merged),
    ],
  },
];
