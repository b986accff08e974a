import { METRIC_FAMILIES, clusterMetrics } from '../../contract/resources/cluster-metrics.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export { METRIC_FAMILIES };

export const ClusterMetricsShape = responseClass(clusterMetrics);
export type ClusterMetricsShape = Response<typeof clusterMetrics>;
