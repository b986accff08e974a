import type { PodsAllowedAnswer } from '../../app/pods/list-pods-allowed.js';
import { ALLOWED_FILTERS } from '../shapes/filter-options.js';
import type { Plain } from '../shapes/plain.js';
import { AllowedEntryShape, PodsAllowedHeadShape } from '../shapes/pods-allowed-shape.js';
import { Given, Shown } from '../shapes/property.js';
import { pageShape } from './page-query.js';
import type { ScenarioBody } from '../shapes/scenario-body.js';
import { SCENARIO_TEXT, StatePageQuery } from './read-at-query.js';

export class TaintsAllowedQuery extends StatePageQuery {
  @Given(ALLOWED_FILTERS.allowed)
  allowed?: boolean;

  @Given(ALLOWED_FILTERS.namespace)
  namespace?: string;
}

export class PodsAllowedQuery extends TaintsAllowedQuery {
  @Given(SCENARIO_TEXT)
  scenario?: ScenarioBody;
}

export class PodsAllowedListShape extends PodsAllowedHeadShape {
  @Shown({ type: () => AllowedEntryShape, list: true, description: 'By namespace, kind and name of the workload.' })
  items!: Plain<AllowedEntryShape>[];

  @Shown({ type: 'string', optional: true, description: 'For the next page; null when this is the last one.' })
  continue!: string | null;

  @Shown({ type: 'integer', description: 'How many items follow after this page.', example: 0 })
  remainingItemCount!: number;
}

export function podsAllowedListShape({ page, ...head }: PodsAllowedAnswer): Plain<PodsAllowedListShape> {
  return { ...head, ...pageShape(page, (entry) => entry) };
}
