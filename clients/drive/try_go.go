// Does with a recipe what the lines on its input say, for drive/program.ts.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"

	"golang.org/x/oauth2"
)

func main() {
	var app Application
	if err := json.Unmarshal([]byte(os.Getenv("APPLICATION")), &app); err != nil {
		panic(err)
	}
	config := Connect(app)
	var checks Checks
	var source oauth2.TokenSource

	perform := func(what, callback string) (string, error) {
		switch what {
		case "begin":
			var address string
			address, checks = Begin(config)
			return address, nil
		case "finish":
			address, err := url.Parse(callback)
			if err == nil {
				source, err = Finish(config, address, checks)
			}
			return "signed in", err
		case "me":
			client := oauth2.NewClient(context.Background(), source)
			answer, err := client.Get(app.Origin + "/api/oauth/userinfo")
			if err != nil {
				return "", err
			}
			defer answer.Body.Close()
			body, err := io.ReadAll(answer.Body)
			return string(body), err
		}
		return "signed out", SignOut(app, source)
	}

	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var request struct{ Do, Callback string }
		if err := json.Unmarshal(lines.Bytes(), &request); err != nil {
			panic(err)
		}
		answer, err := perform(request.Do, request.Callback)
		result := map[string]string{"answer": answer}
		if err != nil {
			result = map[string]string{"error": err.Error()}
		}
		text, _ := json.Marshal(result)
		fmt.Println(string(text))
	}
}
