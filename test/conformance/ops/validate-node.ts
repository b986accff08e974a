import { DEFAULT_RULES } from '../../../src/core/kubernetes/kubernetes-rules.js';
import { validateNode as validate, type NodeManifest } from '../../../src/core/kubernetes/validation/node.js';
import { decodeManifest, refusedFields } from './refused-fields.js';

export const validateNode = refusedFields(({ node }) => validate(decodeManifest(node) as NodeManifest, DEFAULT_RULES));
