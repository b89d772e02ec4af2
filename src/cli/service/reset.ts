import { openEmbeddedService } from '../../app/open-embedded-service.ts'
import { embeddedFolder } from '../../config/settings.ts'
import { failedError } from '../../core/errors.ts'
import { boundedText } from '../../platform/bounded-text.ts'
import { controlRequest } from '../../service/local/control-client.ts'
import { openLog } from '../open-log.ts'
import { settingsOf } from '../settings-of.ts'
import type { Terminal } from '../terminal.ts'

/** The maximum size of the response, which says in a sentence what went wrong. */
const MOST_ANSWER_BYTES = 1_000_000

/** Removes everything that was added to the service of the state folder, whichever process runs it. */
export async function resetServiceCommand(flags: { logLevel: string }, terminal: Terminal): Promise<number> {
  const { out, surroundings } = terminal
  const folder = embeddedFolder(settingsOf(terminal))
  const log = await openLog(terminal, flags.logLevel)
  const service = await openEmbeddedService({ folder, log, clock: surroundings.clock })
  try {
    const { url, ...request } = controlRequest(service.endpoint.control, 'reset')
    const answer = await fetch(url, request)
    if (!answer.ok) {
      throw failedError(
        'reset-failed',
        `the service of ${folder} was not reset: ${answer.status} ${await boundedText(answer, MOST_ANSWER_BYTES)}`,
        'run it again to finish the reset',
      )
    }
    out.write(`the service of ${folder} is as it was at its first start; its population stays\n`)
    return 0
  } finally {
    await service.close()
  }
}
