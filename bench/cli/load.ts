import { startChild } from '../support/child.ts'
import { compare } from '../support/compare.ts'
import { printReport } from '../support/report.ts'

/** Loads and checks 1,000 documents of 30 steps, compared to parsing them with the `yaml` package. */
const DOCUMENTS = 1000
const ROUNDS = 9

const ours = startChild(new URL('load-child.ts', import.meta.url))
const peer = startChild(new URL('load-child.ts', import.meta.url))
try {
  const row = await compare({
    name: `${DOCUMENTS} documents of 30 steps`,
    unit: 'ms',
    rounds: ROUNDS,
    ours: () => ours.ask<number>('load', DOCUMENTS),
    peer: () => peer.ask<number>('parse', DOCUMENTS),
    limit: { atMost: 3 },
  })
  printReport(
    'Loading documents (ours) beside parsing them with yaml alone (peer)',
    [row],
    [`${ROUNDS} rounds, after one that warms up; each side in a process of its own.`],
  )
} finally {
  await Promise.all([ours.stop(), peer.stop()])
}
