import {
  BUDGET_FILTERS,
  QUOTA_FILTERS,
  FINDING_FILTERS,
  TRAIL,
  TRAIL_CLUSTERS,
} from '../../contract/common/filter-options.js';

export { BUDGET_FILTERS };

export { QUOTA_FILTERS };

export { FINDING_FILTERS };

export { TRAIL };

export { TRAIL_CLUSTERS };
