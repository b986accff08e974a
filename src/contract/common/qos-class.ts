import { enumType } from '../schema.js';

export const QOS_CLASS = enumType('QosClass', 'The quality of service class of a pod.', [
  'Guaranteed',
  'Burstable',
  'BestEffort',
]);
