/** The directions of the house: api -> app -> auth, storage, ingest -> core; core imports nothing of the rest and no npm package. */
const room = (name) => `^src/${name}/`;
const TESTS = '\\.test\\.ts$';
const forbid = (name, from, to) => ({
  name,
  severity: 'error',
  from: { path: from, pathNot: TESTS },
  to: { path: to },
});

/**
 * The floors of the core, lowest first. A room imports from the floors below its own, and on its own floor from the rooms named before it;
 * types count, too. A new room gets its place here.
 */
const CORE_FLOORS = [
  ['collections', 'json', 'kubernetes'],
  ['resources', 'cluster'],
  // prettier-ignore
  ['audit', 'taint-change', 'pools', 'quota', 'admission', 'inventory', 'allocation', 'metrics', 'kubectl-text', 'placement',
    'scheduler-configuration'],
  ['eviction', 'node-lifecycle', 'disruption', 'scenario', 'scheduling', 'preemption'],
  [
    'eviction-schedule',
    'taint-effects',
    'rescheduling',
    'quota-review',
    'quota-capacity',
    'scenario-impact',
    'findings',
  ],
];
const CORE_ROOMS = CORE_FLOORS.flat();
const coreRooms = (names) => room(`core/(${names.join('|')})`);

module.exports = {
  forbidden: [
    ...CORE_ROOMS.slice(0, -1).map((name, place) =>
      forbid(`core-floors-${name}`, coreRooms([name]), coreRooms(CORE_ROOMS.slice(place + 1))),
    ),
    {
      name: 'core-rooms-have-a-floor',
      severity: 'error',
      from: { path: room('core'), pathNot: coreRooms(CORE_ROOMS) },
      to: {},
    },
    // A cycle of types alone is none at run time.
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'core-imports-only-core',
      severity: 'error',
      from: { path: room('core'), pathNot: TESTS },
      to: { pathNot: room('core') },
    },
    {
      name: 'contract-sees-only-core-and-auth',
      severity: 'error',
      from: { path: room('contract'), pathNot: TESTS },
      to: { pathNot: '^src/(contract|core|auth)/' },
    },
    {
      name: 'event-loop-imports-nothing',
      severity: 'error',
      from: { path: room('event-loop'), pathNot: TESTS },
      to: { path: '^src/', pathNot: room('event-loop') },
    },
    forbid('contract-is-not-seen-below', '^src/(auth|storage|ingest|core)/', room('contract')),
    forbid('ingest-sees-only-core', room('ingest'), '^src/(storage|app|api|auth)/'),
    forbid('storage-sees-only-core', room('storage'), '^src/(ingest|app|api|auth)/'),
    forbid('auth-sees-only-core', room('auth'), '^src/((storage|ingest|app|api)/|[^/]+$)'),
    forbid('app-does-not-see-the-transports', room('app'), '^src/api/'),
    forbid('graphql-does-not-see-rest', room('api/graphql'), room('api/rest')),
    forbid('rest-does-not-see-graphql', room('api/rest'), room('api/graphql')),
    {
      name: 'api-has-rooms-alone',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^src/api/[^/]+$' },
    },
    forbid('nothing-imports-tests', '^(src|bench|demo)/', '^test/'),
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
