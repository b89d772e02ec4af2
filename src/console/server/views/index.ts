import { apiJson } from '../send-answer.ts'
import { compareRuns } from './compare-runs.ts'
import { listHours } from './list-hours.ts'
import { listEvents, listSteps, showDocument, showRun } from './show-run.ts'
import type { Beside, View, ViewDeps, ViewId } from './view.ts'

const VIEWS: { readonly [Id in ViewId]: View<Id> } = {
  'runs.get': showRun,
  'runs.steps': listSteps,
  'runs.document': showDocument,
  'runs.logs': listEvents,
  'runs.compare': compareRuns,
  'hours.list': listHours,
}

/** Makes the response of an operation as JSON. `input` is the input of that operation. */
export async function writeView(id: ViewId, input: object, deps: ViewDeps, beside: Beside): Promise<string> {
  const view = VIEWS[id] as (deps: ViewDeps, input: object, beside: Beside) => Promise<unknown>
  return apiJson(await view(deps, input, beside))
}
