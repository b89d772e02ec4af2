import { openEmbeddedService } from '../../app/open-embedded-service.ts'
import { embeddedFolder } from '../../config/settings.ts'
import { failedError } from '../../core/errors.ts'
import { utf8Text } from '../../document/utf8-text.ts'
import type { Network } from '../../service/network/network.ts'
import { parseNetwork } from '../../service/network/parse-network.ts'
import { openLog } from '../open-log.ts'
import { readDocument } from '../read-document.ts'
import { settingsOf } from '../settings-of.ts'
import type { Terminal } from '../terminal.ts'

export interface ServiceStartFlags {
  readonly port: number
  readonly network?: string
  readonly strict?: true
  readonly json?: true
  readonly logLevel: string
}

/** Runs the service until SIGINT or SIGTERM. If another process already runs it, prints its address and ends. */
export async function startServiceCommand(flags: ServiceStartFlags, terminal: Terminal): Promise<number> {
  const { out, surroundings } = terminal
  const settings = settingsOf(terminal)
  const log = await openLog(terminal, flags.logLevel)
  const folder = embeddedFolder(settings)
  const service = await openEmbeddedService({
    folder,
    log,
    clock: surroundings.clock,
    port: flags.port,
    strict: flags.strict ?? false,
    network: flags.network === undefined ? undefined : networkAt(flags.network),
  })
  const { endpoint } = service
  if (!service.hosted) {
    await service.close()
    throw failedError(
      'service-running',
      `the service of ${folder} is already running, at ${endpoint.url}`,
      'use that one, or name another folder with AUDIENCE_STATE',
    )
  }
  terminal.whenUnread('goOn')
  const interrupted = new Promise<void>((resolve) => terminal.onInterrupt(() => resolve()))
  out.write(flags.json ? `${JSON.stringify({ event: 'service.ready', ...endpoint })}\n` : readyText(endpoint, folder))
  await interrupted
  await service.close()
  return 0
}

function networkAt(file: string): Network {
  return parseNetwork(utf8Text(readDocument(file), file), file)
}

function readyText({ url, token }: { url: string; token: string }, folder: string): string {
  return [
    `The Audience Data Service is ready; its data are in ${folder}. Its people and all figures are synthetic.`,
    `  export AUDIENCE_BASE_URL=${url}`,
    `  export AUDIENCE_TOKEN=${token}`,
    'Press Ctrl-C to stop it.',
    '',
  ].join('\n')
}
