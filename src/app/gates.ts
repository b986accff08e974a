export { DEFAULT_GATES } from '../core/kubernetes/toleration.js';
