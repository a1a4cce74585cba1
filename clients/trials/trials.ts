import type { Trial } from '../drive/tried-client.ts'

/** How to load the trial of each client, in the order of the table. */
export const TRIALS: Readonly<Record<string, () => Promise<Trial>>> = {
  fetch: async () => (await import('./fetch.ts')).withFetch,
  'openid-client': async () => (await import('./openid-client.ts')).openidClient,
  oauth4webapi: async () => (await import('./oauth4webapi.ts')).oauth4webapi,
  'auth-js': async () => (await import('./auth-js.ts')).authJs,
  'oidc-client-ts': async () => (await import('./oidc-client-ts.ts')).oidcClientTs,
  'passport-oauth2': async () => (await import('./passport-oauth2.ts')).passportOauth2,
  'express-openid-connect': async () =>
    (await import('./express-openid-connect.ts')).expressOpenidConnect,
  'simple-oauth2': async () => (await import('./simple-oauth2.ts')).simpleOauth2,
  'badgateway-oauth2-client': async () =>
    (await import('./badgateway-oauth2-client.ts')).badgateway,
  grant: async () => (await import('./grant.ts')).grant,
  arctic: async () => (await import('./arctic.ts')).arctic,
  authlib: async () => (await import('./debian-clients.ts')).authlib,
  'requests-oauthlib': async () => (await import('./debian-clients.ts')).requestsOauthlib,
  'go-oauth2': async () => (await import('./debian-clients.ts')).goOauth2,
  'ruby-oauth2': async () => (await import('./debian-clients.ts')).rubyOauth2,
  'mod-auth-openidc': async () => (await import('./mod-auth-openidc.ts')).modAuthOpenidc,
  'apollo-client': async () => (await import('./graphql-clients.ts')).apolloClient,
  urql: async () => (await import('./graphql-clients.ts')).urqlClient,
  relay: async () => (await import('./graphql-clients.ts')).relayClient,
  'mcp-typescript-sdk': async () => (await import('./mcp-clients.ts')).mcpSdk,
  'mcp-remote': async () => (await import('./mcp-remote.ts')).mcpRemote,
  'mcp-inspector': async () => (await import('./mcp-inspector.ts')).mcpInspector,
  'ai-sdk-mcp': async () => (await import('./mcp-clients.ts')).aiSdkMcp,
  'langchain-mcp-adapters': async () => (await import('./mcp-clients.ts')).langchainAdapters,
  'mcp-use': async () => (await import('./mcp-clients.ts')).mcpUseClient,
}
