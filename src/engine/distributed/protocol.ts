/**
 * The version of records and tables as the engine understands them. It is raised only when older code must not read the
 * runs of newer code.
 */
export const PROTOCOL = 1
