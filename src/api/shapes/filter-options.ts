import { FINDING_FILTERS, TRAIL, TRAIL_CLUSTERS } from '../../contract/common/filter-options.js';

export { FINDING_FILTERS };

export { TRAIL };

export { TRAIL_CLUSTERS };
