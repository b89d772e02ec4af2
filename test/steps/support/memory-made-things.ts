import { parseJson, stringifyJson } from '../../../src/core/json.ts'
import { completed, type MadeThing, type MadeThings } from '../../../src/state/made-things.ts'

/** Made things in memory. They go through JSON, as stored ones do, and can be lost. */
export function memoryMadeThings(): MadeThings & { lose(): void } {
  let things: MadeThing[] = []
  const isSame = (one: MadeThing, thing: MadeThing) =>
    one.kind === thing.kind &&
    (['id', 'job', 'request'] as const).some((key) => thing[key] !== undefined && one[key] === thing[key])
  return {
    async note(thing) {
      const whole = completed(
        things.filter((one) => isSame(one, thing)),
        thing,
      )
      const { id, job, request, ...rest } = whole
      const stored = parseJson(stringifyJson({ ...rest })) as never as typeof rest
      things = [...things.filter((one) => !isSame(one, whole)), { ...stored, id, job, request }]
    },
    async forget(request) {
      things = things.filter((one) => one.request !== request || one.id !== undefined || one.job !== undefined)
    },
    byId: async (kind, id) => things.find((thing) => thing.kind === kind && thing.id === id),
    named: async (kind, name) => things.filter((thing) => thing.kind === kind && thing.name === name),
    lose() {
      things = []
    },
  }
}
