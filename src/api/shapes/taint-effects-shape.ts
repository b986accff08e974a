import type { Listed } from '../../core/collections/first-few.js';
import {
  evictionCause,
  podEviction,
  budgetAtRisk,
  effectWarning,
  taintEffects,
} from '../../contract/taint-changes/taint-effects.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';
import type {
  BudgetAtRisk,
  EffectWarning,
  EvictionCause,
  PodEviction,
  TaintEffects,
} from '../../core/taint-effects/taint-effects.js';
import type { Plain } from './plain.js';

export const EvictionCauseShape = responseClass(evictionCause);
export type EvictionCauseShape = Response<typeof evictionCause>;

export const PodEvictionShape = responseClass(podEviction);
export type PodEvictionShape = Response<typeof podEviction>;

export const BudgetAtRiskShape = responseClass(budgetAtRisk);
export type BudgetAtRiskShape = Response<typeof budgetAtRisk>;

export const EffectWarningShape = responseClass(effectWarning);
export type EffectWarningShape = Response<typeof effectWarning>;

export const TaintEffectsShape = responseClass(taintEffects);
export type TaintEffectsShape = Response<typeof taintEffects>;

export function taintEffectsShape({
  evictions,
  workloads,
  warnings,
  notConsidered,
}: TaintEffects): Plain<TaintEffectsShape> {
  return {
    evictions: { ...evictions, pods: eachOf(evictions.pods, podEvictionShape) },
    workloads,
    warnings: eachOf(warnings, warningShape),
    notConsidered,
  };
}

function eachOf<Item, Shape>(list: Listed<Item>, shape: (item: Item) => Shape): Listed<Shape> {
  return { total: list.total, items: list.items.map(shape) };
}

function podEvictionShape(eviction: PodEviction): Plain<PodEvictionShape> {
  const { seconds = null, at = null, because, note = null } = eviction;
  return { ...eviction, seconds, at, because: because === undefined ? null : causeShape(because), note };
}

function causeShape({ taint, toleration }: EvictionCause): Plain<EvictionCauseShape> {
  return { taint, toleration: toleration?.field ?? null };
}

function warningShape(warning: EffectWarning): Plain<EffectWarningShape> {
  const { code, message, nodes = null, workload = null, taints = [], zone = null, budget } = warning;
  return { code, message, nodes, workload, taints, zone, budget: budget === undefined ? null : budgetShape(budget) };
}

function budgetShape(budget: BudgetAtRisk): Plain<BudgetAtRiskShape> {
  const { minAvailable, maxUnavailable, currentHealthy = null, disruptionsAllowed = null } = budget;
  return {
    ...budget,
    minAvailable: minAvailable === undefined ? null : String(minAvailable),
    maxUnavailable: maxUnavailable === undefined ? null : String(maxUnavailable),
    currentHealthy,
    disruptionsAllowed,
  };
}
