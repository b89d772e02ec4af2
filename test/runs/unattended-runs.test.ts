import { expect, test } from 'vitest'
import { UnattendedRuns, whyUnattended } from '../../src/runs/unattended-runs.ts'

/** Checks at these seconds after the start, with the answers of the engine and the journal. */
function watched() {
  const said = { stuck: [] as string[], orphans: [] as string[] }
  const unattended = new UnattendedRuns({
    engine: { stuck: () => said.stuck },
    runs: {
      orphans: async () => said.orphans,
      find: async (runId) => ({
        ...{ runId, pipeline: 'nightly', profile: 'local', status: 'running', submittedAt: 0 },
        ...{ triggerKind: 'manual', triggerLabel: '' },
      }),
    },
  })
  const at = async (seconds: number) => {
    await unattended.look({ now: 1_000_000 + seconds * 1000, steady: seconds * 1000 })
    return unattended.runs.map(({ runId, why, since }) => `${runId} ${why} since ${since - 1_000_000}`)
  }
  return { said, at, reason: () => whyUnattended(unattended.runs) }
}

test('a run is reported when no process has worked on it for ten seconds, and not any more when one does', async () => {
  const { said, at, reason } = watched()
  said.stuck = ['a']
  said.orphans = ['b']
  expect(await at(0)).toEqual([])
  expect(reason()).toBeUndefined()
  expect(await at(9)).toEqual([])
  said.orphans = ['b', 'c']
  expect(await at(10)).toEqual(['b orphaned since 0', 'a stuck since 0'])
  expect(reason()).toContain('no process is working on run b of nightly, and 1 more')
  said.orphans = []
  expect(await at(12)).toEqual(['a stuck since 0'])
  said.stuck = []
  expect(await at(14)).toEqual([])
  // A run that was resumed meanwhile gets its ten seconds again.
  said.stuck = ['a']
  expect(await at(16)).toEqual([])
})
