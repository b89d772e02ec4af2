import { apiJson } from '../send-answer.ts'
import type { Beside, View, ViewDeps, ViewId } from './view.ts'
import { viewComparison } from './view-comparison.ts'
import { viewHours } from './view-hours.ts'
import { viewDocument, viewEvents, viewRun, viewSteps } from './view-run.ts'

const VIEWS: { readonly [Id in ViewId]: View<Id> } = {
  'runs.get': viewRun,
  'runs.steps': viewSteps,
  'runs.document': viewDocument,
  'runs.logs': viewEvents,
  'runs.compare': viewComparison,
  'hours.list': viewHours,
}

/** Makes the response of an operation as JSON. `input` is the input of that operation. */
export async function writeView(id: ViewId, input: object, deps: ViewDeps, beside: Beside): Promise<string> {
  const view = VIEWS[id] as (deps: ViewDeps, input: object, beside: Beside) => Promise<unknown>
  return apiJson(await view(deps, input, beside))
}
