/** The parts of the product that are finished, and gated by the ledger, one at a time. */
export type Area = 'oauth' | 'member-api' | 'mcp' | 'admin-api' | 'pages' | 'house'

/**
 * Where a promise comes from: a section of the service's specification, or a decision of our own
 * where the specification is silent (docs/protocol-decisions.md gives the reasons).
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

/** Promises that share an area and a source: each id with the one sentence it stands for. */
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
