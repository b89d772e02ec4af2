import { ApiError, notFound } from '../api-error.ts'
import { type ControlContext, controlOperation, noInput, timeText } from './control-operation.ts'
import { RUNNING_WITH_THE_MACHINE } from './service-clock.ts'

const named = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    name: {
      type: 'string',
      pattern: '^[a-z0-9][a-z0-9_-]{0,63}$',
      description: 'Name of the snapshot: lower-case letters, digits, `-` and `_`.',
    },
  },
} as const

export const stateOperations = {
  reset: controlOperation({
    method: 'POST',
    path: '/reset',
    summary: 'Restore everything to the state of the first start.',
    description:
      'Jobs, segments, matches, activations and files go, ids begin anew, the clock is the machine’s, fault rules and request journal are empty. The population, the tokens and the snapshots stay.',
    input: noInput,
    answer: '`done`: `reset`',
    async handle(control) {
      const { runner, store, blobs } = control
      await runner.whileIdle(() => {
        const before = blobs.inUse()
        store.clear()
        forgetTheRest(control)
        blobs.release(before)
      })
      return { done: 'reset' }
    },
  }),

  'snapshots.list': controlOperation({
    method: 'GET',
    path: '/snapshots',
    summary: 'List the snapshots.',
    input: noInput,
    answer: '`snapshots`, each with `name` and `takenAt`',
    handle: ({ snapshots }) => ({
      snapshots: snapshots.list().map(({ name, takenAt }) => ({ name, takenAt: timeText(takenAt) })),
    }),
  }),

  'snapshots.take': controlOperation({
    method: 'POST',
    path: '/snapshots/{name}',
    summary: 'Save the current state under a name.',
    description:
      'Jobs continue meanwhile. Work that is in progress at this moment begins again when the snapshot is restored.',
    input: named,
    answer: '`done`: `snapshot`, `name`',
    handle({ snapshots }, { name }) {
      if (snapshots.has(name)) throw new ApiError('conflict', `there is a snapshot ${name} already; delete it first`)
      snapshots.take(name)
      return { done: 'snapshot', name }
    },
  }),

  'snapshots.restore': controlOperation({
    method: 'POST',
    path: '/snapshots/{name}/restore',
    summary: 'Restore a snapshot.',
    description:
      'Ids, jobs and the clock are as they were, fault rules and request journal are empty. Jobs that are at work are waited for. If the service dies meanwhile, the next start ends it.',
    input: named,
    answer: '`done`: `restore`, `name`',
    async handle(control, { name }) {
      const { snapshots, runner } = control
      await runner.whileIdle(() => {
        if (!snapshots.has(name)) throw notFound('snapshot', name)
        snapshots.restore(name)
        forgetTheRest(control)
      })
      return { done: 'restore', name }
    },
  }),

  'snapshots.delete': controlOperation({
    method: 'DELETE',
    path: '/snapshots/{name}',
    summary: 'Delete a snapshot.',
    input: named,
    answer: '`done`: `delete`, `name`',
    handle({ snapshots }, { name }) {
      if (!snapshots.has(name)) throw notFound('snapshot', name)
      snapshots.delete(name)
      return { done: 'delete', name }
    },
  }),
}

/** Resets the state outside the store, including what was read from the store. */
function forgetTheRest({ store, clock, faults, lag, journal }: ControlContext): void {
  clock.set(store.clock.read() ?? RUNNING_WITH_THE_MACHINE)
  faults.clear()
  lag.clear()
  journal.clear()
}
