import { END_SESSION_PATH } from '../../domain/clients/sign-out-request.ts'

/** Where each endpoint is; routes and discovery both read this. */
export const ENDPOINTS = {
  authorize: '/oauth/authorize',
  token: '/api/oauth/token',
  userinfo: '/api/oauth/userinfo',
  revoke: '/api/oauth/revoke',
  register: '/api/oauth/register',
  introspect: '/api/oauth/introspect',
  jwks: '/.well-known/jwks.json',
  /** Served with the pages, because it shows some. */
  endSession: END_SESSION_PATH,
} as const
