import { taintFight, taintFights } from '../../contract/taint-trail/taint-fight.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';
import type { FoundFights } from '../../app/taint-trail/find-fights.js';
import type { TaintFight } from '../../core/audit/taint-fights.js';
import type { Plain } from './plain.js';

export const TaintFightShape = responseClass(taintFight);
export type TaintFightShape = Response<typeof taintFight>;

export const TaintFightsShape = responseClass(taintFights);
export type TaintFightsShape = Response<typeof taintFights>;

export function taintFightsShape({ trail, fights, total }: FoundFights): Plain<TaintFightsShape> {
  return { trail, fights: fights.map(fightShape), total };
}

function fightShape({ what, ...fight }: TaintFight): Plain<TaintFightShape> {
  const { key, effect } = what === 'cordon' ? { key: null, effect: null } : what;
  return { ...fight, key, effect };
}
