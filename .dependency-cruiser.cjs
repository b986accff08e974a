/** Allowed imports: api -> app -> auth, storage, ingest, kube-api -> core. The core imports nothing else, and no npm package. */
const folder = (name) => `^src/${name}/`;
const TESTS = '\\.test\\.ts$';
const forbid = (name, from, to) => ({
  name,
  severity: 'error',
  from: { path: from, pathNot: TESTS },
  to: { path: to },
});

/**
 * The layers of the core, lowest first. A folder imports from the layers below its own, and in its own layer from the folders
 * named before it; imports of types count, too. Add a new folder here.
 */
const CORE_LAYERS = [
  ['collections', 'json', 'kubernetes'],
  ['cel', 'resources', 'cluster'],
  // prettier-ignore
  ['audit', 'taint-change', 'taint-owners', 'pools', 'quota', 'admission', 'inventory', 'allocation', 'metrics', 'kubectl-text', 'devices', 'placement',
    'scheduler-configuration'],
  ['eviction', 'node-lifecycle', 'disruption', 'scenario', 'scheduling', 'preemption'],
  [
    'eviction-schedule',
    'agreement',
    'taint-effects',
    'rescheduling',
    'drain',
    'quota-review',
    'quota-capacity',
    'scenario-impact',
    'findings',
    'guardrails',
    'expectations',
    'upgrade-review',
    'rollout',
    'gate',
    'new-nodes',
  ],
];
const CORE_FOLDERS = CORE_LAYERS.flat();
const coreFolders = (names) => folder(`core/(${names.join('|')})`);

module.exports = {
  forbidden: [
    ...CORE_FOLDERS.slice(0, -1).map((name, place) =>
      forbid(`core-layers-${name}`, coreFolders([name]), coreFolders(CORE_FOLDERS.slice(place + 1))),
    ),
    {
      name: 'core-folders-have-a-layer',
      severity: 'error',
      from: { path: folder('core'), pathNot: coreFolders(CORE_FOLDERS) },
      to: {},
    },
    // Cycles that consist of type imports do not exist at run time.
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'core-imports-only-core',
      severity: 'error',
      from: { path: folder('core'), pathNot: TESTS },
      to: { pathNot: folder('core') },
    },
    {
      name: 'contract-imports-only-core-and-auth',
      severity: 'error',
      from: { path: folder('contract'), pathNot: TESTS },
      to: { pathNot: '^src/(contract|core|auth)/' },
    },
    {
      name: 'event-loop-imports-nothing',
      severity: 'error',
      from: { path: folder('event-loop'), pathNot: TESTS },
      to: { path: '^src/', pathNot: folder('event-loop') },
    },
    forbid('tracing-imports-only-its-own', folder('tracing'), '^src/(?!tracing/)'),
    forbid('no-tracing-in-core-and-contract', '^src/(core|contract|event-loop|ingest)/', folder('tracing')),
    forbid('no-contract-imports-below-app', '^src/(auth|storage|ingest|kube-api|core)/', folder('contract')),
    forbid('ingest-imports-only-core', folder('ingest'), '^src/(storage|app|api|auth)/'),
    forbid('kube-api-imports-only-core', folder('kube-api'), '^src/(ingest|storage|app|api|auth)/'),
    forbid('storage-imports-only-core', folder('storage'), '^src/(ingest|app|api|auth)/'),
    forbid('auth-imports-only-core', folder('auth'), '^src/((storage|ingest|app|api)/|[^/]+$)'),
    forbid('workers-import-only-app', folder('workers'), '^src/(?!(workers|app)/)'),
    forbid('app-imports-no-api', folder('app'), '^src/(api|plugin)/'),
    forbid('api-imports-no-plugin', '^src/(api|cli|wiring)/', folder('plugin')),
    // The plugin runs without a service: it has neither Nest nor a database.
    forbid(
      'plugin-needs-no-service',
      folder('plugin'),
      '^(src/(api|wiring)|node_modules/(@nestjs|typeorm|pg|fastify))/',
    ),
    forbid('graphql-imports-no-rest', folder('api/graphql'), folder('api/rest')),
    forbid('rest-imports-no-graphql', folder('api/rest'), folder('api/graphql')),
    {
      name: 'api-has-only-folders',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^src/api/[^/]+$' },
    },
    // The plugin asks a service as any other client does.
    forbid('the-service-imports-no-client', '^(src/(?!plugin/)|bench/|demo/)', '^clients/'),
    forbid('the-client-imports-only-its-own', '^clients/', '^(?!clients/)'),
    forbid(
      'nothing-imports-tests',
      '^(src|bench|demo)/',
      '^test/(?!(support/(browser|partition-by-cluster)|control-plane/(control-plane|plane-faults))\\.ts$)',
    ),
    forbid('only-the-bench-drives-a-browser-or-a-control-plane', '^(src|demo)/', '^test/'),
    { name: 'not-to-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
