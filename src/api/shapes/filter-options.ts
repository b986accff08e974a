import { TRAIL, TRAIL_CLUSTERS } from '../../contract/common/filter-options.js';

export { TRAIL };

export { TRAIL_CLUSTERS };
