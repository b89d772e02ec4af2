import { expect, test } from 'vitest'
import { toRunItem } from '../../src/console/server/run-item.ts'
import type { RunRow } from '../../src/state/run-history.ts'

const QUEUED: RunRow = {
  ...{ runId: 'r', pipeline: 'p', profile: 'local', status: 'queued', submittedAt: 1000 },
  ...{ triggerKind: 'manual', triggerLabel: '' },
}

test.each([
  ['queued', QUEUED, {}],
  ['running', { ...QUEUED, beganAt: 3000 }, { queuedMs: 2000 }],
  ['ended', { ...QUEUED, beganAt: 3000, finishedAt: 7000 }, { queuedMs: 2000, ranMs: 4000 }],
  ['ended in its queue', { ...QUEUED, finishedAt: 7000 }, {}],
])(
  'a run that is %s has the times that are known',
  (_what, row, { queuedMs, ranMs }: { queuedMs?: number; ranMs?: number }) => {
    expect(toRunItem(row)).toMatchObject({ queuedMs, ranMs })
  },
)
