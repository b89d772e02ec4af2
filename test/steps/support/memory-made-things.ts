import { parseJson, stringifyJson } from '../../../src/core/json.ts'
import { completed, type MadeThing, type MadeThings } from '../../../src/state/made-things.ts'

/** Made things in memory that go through JSON, as stored ones do, and can be lost. */
export function memoryMadeThings(): MadeThings & { lose(): void } {
  let things: MadeThing[] = []
  const isSame = (one: MadeThing, { kind, id, job }: MadeThing) =>
    one.kind === kind && ((id !== undefined && one.id === id) || (job !== undefined && one.job === job))
  return {
    async note(thing) {
      const whole = completed(
        things.filter((one) => isSame(one, thing)),
        thing,
      )
      const { id, job, ...rest } = parseJson(
        stringifyJson({ ...whole, id: whole.id ?? null, job: whole.job ?? null }),
      ) as never as MadeThing
      things = [...things.filter((one) => !isSame(one, whole)), { ...rest, id: id ?? undefined, job: job ?? undefined }]
    },
    byId: async (kind, id) => things.find((thing) => thing.kind === kind && thing.id === id),
    named: async (kind, name) => things.filter((thing) => thing.kind === kind && thing.name === name),
    lose() {
      things = []
    },
  }
}
