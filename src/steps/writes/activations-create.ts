import type { Activation } from '../../contract/activations.ts'
import type { InputOf } from '../../contract/operations.ts'
import { fitOfMaker } from '../fit-of-maker.ts'
import { madeForActivation } from '../made-for.ts'
import { isSameActivation, mayBeActivation, whoseIs } from '../same-activation.ts'
import { type KnownBefore, newOne } from './new-one.ts'
import { type Finding, idsIn, type LookupDeps, type Reconciler } from './reconciler.ts'
import { verdictOfOwn } from './verdict-of-own.ts'

type Request = InputOf<'activations.create'>

/** Looks for a new activation with that name. One that waits for approval is not listed, so absence proves nothing. */
export const activationsCreateReconciler: Reconciler<'activations.create'> = {
  lookedFor: ({ activationName }) => `a new activation named ${JSON.stringify(activationName)}`,
  async before(request, deps) {
    return { ids: (await likeActivations(request, deps)).map(({ ActivationId }) => ActivationId) }
  },
  async look(write, deps) {
    const { request, confirmed } = write
    const idsBefore = idsIn(write.before)
    const decide = (own: readonly Activation[]) => {
      const same = own.filter((activation) => isSameActivation(activation, request))
      const finding = decideActivationsCreate(same, { idsBefore, confirmed })
      return finding.state === 'notVisible' ? decideLike(own, { idsBefore, confirmed }) : finding
    }
    return verdictOfOwn(await likeActivations(request, deps), decide, {
      ...write,
      what: madeForActivation(request),
      listed: ({ ActivationId }) => ({ id: ActivationId }),
      isOfOther: async (maker) => (await fitOfMaker(maker, request, deps)) === 'none',
      // The service shows no field that distinguishes it from another request with that name.
      mayBeOf: () => true,
      deps,
    })
  },
  refusal: () => 'look',
}

/** `same`: the activations that fit the request, old and new. */
export function decideActivationsCreate(same: readonly Activation[], known: KnownBefore): Finding {
  const found = newOne(same, ({ ActivationId }) => ActivationId, known)
  if (found.state !== 'one') return found
  const { ActivationId: activationId, myRole } = found.thing
  if (!known.confirmed && whoseIs({ myRole }) === 'unknown')
    return {
      state: 'ambiguous',
      why: `activation ${activationId} is new, but it is not known whether it is yours (your role is ${JSON.stringify(myRole)})`,
    }
  return { state: 'done', answer: { activationId } }
}

/**
 * No activation has exactly this name. A new one with a similar name may be the wanted one, if the service keeps names
 * in its own form.
 */
function decideLike(like: readonly Activation[], { idsBefore, confirmed }: KnownBefore): Finding {
  const fresh = like.findLast(({ ActivationId }) => !idsBefore.includes(ActivationId))
  if (!fresh) return { state: 'notVisible' }
  const { ActivationId: activationId, ActivationName } = fresh
  if (confirmed) return { state: 'done', answer: { activationId } }
  const why = `activation ${activationId} is new, and its name is ${JSON.stringify(ActivationName)}`
  return { state: 'ambiguous', why }
}

async function likeActivations(request: Request, { api, signal }: LookupDeps): Promise<Activation[]> {
  const like: Activation[] = []
  for await (const activation of api.items('activations.list', {}, { signal })) {
    if (mayBeActivation(activation, request)) like.push(activation)
  }
  return like
}
