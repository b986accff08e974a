import {
  NODE_FILTERS,
  POD_FILTERS,
  BUDGET_FILTERS,
  QUOTA_FILTERS,
  FINDING_FILTERS,
  ALLOWED_FILTERS,
} from '../../contract/common/filter-options.js';

export { NODE_FILTERS };

export { POD_FILTERS };

export { BUDGET_FILTERS };

export { QUOTA_FILTERS };

export { FINDING_FILTERS };

export { ALLOWED_FILTERS };
