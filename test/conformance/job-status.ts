export const TERMINAL = ['SUCCESS', 'FAILED', 'PARTIAL_SUCCESS', 'CANCELLED', 'REJECTED'] as const

export function isTerminal(status: unknown): boolean {
  return TERMINAL.some((terminal) => terminal === status)
}
