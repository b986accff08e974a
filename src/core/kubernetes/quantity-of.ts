import type { Int64 } from './objects/meta.js';
import { Quantity } from './quantity.js';
import { isHugePageResource } from './resource-names.js';

/** An amount in the format in which Kubernetes writes it: of CPU in millicores, of all else in the resource's own unit. */
export function quantityOf(resource: string, amount: Int64): Quantity {
  if (resource === 'cpu') return Quantity.of(BigInt(amount), 'DecimalSI', -3);
  const isBinary = resource === 'memory' || resource === 'ephemeral-storage' || isHugePageResource(resource);
  return Quantity.of(BigInt(amount), isBinary ? 'BinarySI' : 'DecimalSI');
}
