import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, textOf } from '../document/document-node.ts'
import { isStateUrl, passwordIn, readDatabaseUrl } from './database-url.ts'

/** Checks what the schema of audience.yaml cannot express about the state; paths are relative to `folder`. */
export function checkState(root: DocumentNode, folder: string, reporter: DiagnosticCollector): void {
  const state = childOf(root, 'state')
  const url = textOf(state)
  if (!state || url === undefined || !isStateUrl(url)) return
  const stateEnv = childOf(root, 'stateEnv')
  if (stateEnv) {
    const hint = 'keep one of them; beside stateEnv, `state` can name the folder for the files of this machine'
    reporter.error({ code: 'wrong-value', message: 'state and stateEnv name two databases', hint }, stateEnv)
  }
  if (passwordIn(url) !== undefined) {
    const message = 'the URL has a password, and a password does not belong in a file of the project'
    reporter.error({ code: 'wrong-value', message, hint: PASSWORD_HINT }, state)
    return
  }
  const found = readDatabaseUrl(url, folder)
  if ('message' in found) reporter.error({ code: 'wrong-value', ...found }, state)
}

const PASSWORD_HINT =
  'take it out; put it in the file that PGPASSFILE names or in PGPASSWORD, or name with stateEnv the variable that has the whole URL'
