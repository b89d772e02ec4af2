import { compareThroughput } from './compare-throughput.ts'

await compareThroughput({
  ours: 'audience',
  others: ['audience, plain steps'],
  peers: ['DBOS', 'OpenWorkflow', 'Restate'],
  wanted: (_peer, isFastest) => (isFastest ? 3 : undefined),
  note: 'Each step’s result is on disk before the next step begins, but in “plain steps”, where outputs alone are kept. All with their default, synced durability.',
})
