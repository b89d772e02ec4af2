/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * The text of anything that was thrown; for a system error, without the call and its paths, because these may lead
 * through open descriptors.
 */
export function reasonOf(error: unknown): string {
  const message = messageOf(error)
  return error instanceof Error && 'syscall' in error
    ? message.replace(new RegExp(`, ${error.syscall} '.*$`, 's'), '')
    : message
}
