import { compareThroughput } from '../engine/compare-throughput.ts'

await compareThroughput({
  ours: 'audience on Postgres',
  peers: ['DBOS', 'Restate'],
  wanted: (peer) => (peer === 'DBOS' ? 1.5 : undefined),
  note: 'One worker, its submissions included; each step’s result is on disk before the next step begins. All with their default, synced durability.',
})
