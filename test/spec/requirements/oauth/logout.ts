import { chapter } from '../chapter.ts'

export const logout = [
  chapter('oauth', 'product decision', {
    'logout.where-signed':
      'GET and POST of /oauth/logout are served where ID tokens are signed, and 404 elsewhere; a browser gets the reason and the way to sign out.',
    'logout.registered-where-signed':
      'The form of an application has the redirect URIs after sign-out only where ID tokens are signed; saving it elsewhere keeps them.',
    'logout.discovery':
      'Both metadata documents name the end_session_endpoint where it is served, and only there.',
    'logout.hint.signs-out':
      'A client that sends the ID token of the signed-in person ends the session of this browser without a question.',
    'logout.hint.expired':
      'The ID token may have expired, and its key may have been retired at any time.',
    'logout.hint.refused':
      'An ID token of another school or client, a forged or an unsigned one is refused on a page, and nothing changes.',
    'logout.hint.other-person':
      'With the ID token of another person, the person in the browser is asked first.',
    'logout.asks-first': 'Without an ID token a page with a form token asks the person first.',
    'logout.redirect.registered':
      'After the sign-out the browser goes to the post_logout_redirect_uri, if the application registered it.',
    'logout.redirect.exact':
      'A post_logout_redirect_uri that differs in any character gets an error page; the person stays signed in.',
    'logout.state': 'state is added to the post_logout_redirect_uri.',
    'logout.no-redirect.page': 'Without a redirect URI a page says that the person is signed out.',
    'logout.post':
      'A POST from another site, which has no cookie, is sent on to a GET without the ID token.',
    'logout.tokens-stay':
      'A sign-out ends no token pair, no other browser and no session at another school.',
  }),
] as const
