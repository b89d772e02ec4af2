import { matchOperations } from '../contract/matches.ts'
import { isJsonObject } from '../core/json.ts'
import { awaitJob, maxWaitOf } from './await-job.ts'
import { defineStep } from './define-step.ts'
import { jobOutputSchema } from './job-output-schema.ts'
import { requestOf } from './request-of.ts'
import { resolveScopes, withScopes } from './resolve-scopes.ts'
import { sendWrite } from './writes/send-write.ts'

/** Flags whose default at the service is true, so the author of a pipeline must give them (decision 65). */
const STATED = ['shareSegmentName', 'accessBgIds'] as const

const { summary, description, input, rules } = matchOperations['matches.create']

/** The operation, but with the flags that share data with others as required fields. */
export const matchesCreate = defineStep({
  name: 'matches.create',
  summary,
  description,
  input: { ...input, required: [...input.required, ...STATED] },
  rules,
  output: jobOutputSchema('matches.create'),
  startsJob: true,
  check: (given) =>
    STATED.filter((name) => isJsonObject(given) && given[name] === undefined).map((missingProperty) => ({
      pointer: '',
      keyword: 'required',
      message: `${missingProperty} is required`,
      params: { missingProperty },
    })),
  async run(step) {
    const input = await withScopes(step.input, step)
    const written = await sendWrite({ operation: 'matches.create', input, maxWaitMs: maxWaitOf(step) }, step)
    return (await awaitJob(written, step)).outputs
  },
  async plan({ input: fields, known }, deps) {
    const sent = known ? { ...fields, deliveryScopes: [...(await resolveScopes(known, deps))] } : fields
    return { action: 'create', requests: [requestOf('matches.create', sent)], outputs: {}, complete: false }
  },
})
