/*
# Go: golang.org/x/oauth2

The client of `Config.Client` and of `NewClient` refreshes by itself and sends no further field then: so `resource` stands in both URLs.
`AuthStyleInParams` sends the secret in the form; otherwise the library tries HTTP Basic first, which is not accepted.
From version 0.13 on `oauth2.GenerateVerifier`, `S256ChallengeOption` and `VerifierOption` replace the lines about PKCE here.
*/
package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"golang.org/x/oauth2"
)

type Application struct{ Origin, ClientID, ClientSecret, RedirectURI string }

func Connect(app Application) *oauth2.Config {
	resource := "?resource=" + url.QueryEscape(app.Origin)
	return &oauth2.Config{
		ClientID:     app.ClientID,
		ClientSecret: app.ClientSecret,
		RedirectURL:  app.RedirectURI,
		Scopes:       []string{"profile", "account:read"},
		Endpoint: oauth2.Endpoint{
			AuthURL:   app.Origin + "/oauth/authorize" + resource,
			TokenURL:  app.Origin + "/api/oauth/token" + resource,
			AuthStyle: oauth2.AuthStyleInParams,
		},
	}
}

type Checks struct{ State, Verifier string }

func random() string {
	bytes := make([]byte, 32)
	if _, err := rand.Read(bytes); err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(bytes)
}

// Begin makes the address to send the person to. Keep the checks in the person's session.
func Begin(config *oauth2.Config) (string, Checks) {
	checks := Checks{State: random(), Verifier: random()}
	digest := sha256.Sum256([]byte(checks.Verifier))
	return config.AuthCodeURL(checks.State,
		oauth2.SetAuthURLParam("code_challenge", base64.RawURLEncoding.EncodeToString(digest[:])),
		oauth2.SetAuthURLParam("code_challenge_method", "S256"),
	), checks
}

// Finish returns where the current token comes from; oauth2.NewClient makes an HTTP client of it.
func Finish(config *oauth2.Config, callback *url.URL, checks Checks) (oauth2.TokenSource, error) {
	query := callback.Query()
	if query.Get("state") != checks.State {
		return nil, errors.New("not the answer to our request")
	}
	ctx := context.Background()
	verifier := oauth2.SetAuthURLParam("code_verifier", checks.Verifier)
	token, err := config.Exchange(ctx, query.Get("code"), verifier)
	if err != nil {
		return nil, err
	}
	return config.TokenSource(ctx, token), nil
}

// SignOut revokes, which the library cannot do.
func SignOut(app Application, source oauth2.TokenSource) error {
	token, err := source.Token()
	if err != nil {
		return err
	}
	answer, err := http.PostForm(app.Origin+"/api/oauth/revoke", url.Values{
		"client_id":     {app.ClientID},
		"client_secret": {app.ClientSecret},
		"token":         {token.RefreshToken},
	})
	if err == nil && answer.StatusCode != 200 {
		err = fmt.Errorf("revocation: %s", answer.Status)
	}
	return err
}
