/** The parts of the product. The ledger requires tests for one area after the other. */
export type Area = 'oauth' | 'member-api' | 'mcp' | 'admin-api' | 'pages' | 'house'

/**
 * The source of a promise: a section of the service's specification, or our own decision if the
 * specification does not say (docs/protocol-decisions.md gives the reasons).
 */
export const sources = [
  'What the service does',
  'Client (OAuth application)',
  'Token response',
  'ID token claims',
  'Token record',
  'Member API: viewer',
  'Course node',
  'Lecture',
  'Consulting service',
  'Consulting meeting',
  'Payment node',
  'States and transitions',
  'Endpoints',
  'Authorization request',
  'Token request',
  'UserInfo',
  'Revocation request',
  'Client registration',
  'Client ID Metadata Documents',
  'Member API',
  'Tool endpoint',
  'Admin REST API',
  'Authentication',
  'Scopes',
  'Deployment variants',
  'Errors',
  'Limits',
  'product decision',
] as const

export type Source = (typeof sources)[number]

/** Promises with the same area and source: each id with its sentence. */
export interface Chapter<Says extends Readonly<Record<string, string>>> {
  readonly area: Area
  readonly source: Source
  readonly says: Says
}

export function chapter<const Says extends Readonly<Record<string, string>>>(
  area: Area,
  source: Source,
  says: Says,
): Chapter<Says> {
  return { area, source, says }
}
