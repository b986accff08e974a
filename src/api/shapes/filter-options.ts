import {
  NODE_FILTERS,
  POD_FILTERS,
  FINDING_FILTERS,
  ALLOWED_FILTERS,
  TRAIL,
  TRAIL_CLUSTERS,
} from '../../contract/common/filter-options.js';

export { NODE_FILTERS };

export { POD_FILTERS };

export { FINDING_FILTERS };

export { ALLOWED_FILTERS };

export { TRAIL };

export { TRAIL_CLUSTERS };
